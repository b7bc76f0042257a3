// SPDX-License-Identifier: GPL-2.0-or-later
/* The smallest payload: a static program that does nothing, inside whatever is being measured. */
int main(void)
{
	return 0;
}
