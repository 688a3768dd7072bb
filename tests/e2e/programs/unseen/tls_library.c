/* The library of tls_late.c. */
static __thread int mine;

int *where(void)
{
	return &mine;
}

void set(int value)
{
	mine = value;
}
