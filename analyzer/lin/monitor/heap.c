/* SPDX-License-Identifier: MIT */
#include "lin/monitor/heap.h"

static bool earlier(const struct lin_part *p, uint32_t a, uint32_t b)
{
	return p->ops[a].ret < p->ops[b].ret;
}

void heap_push(struct return_heap *h, const struct lin_part *part, uint32_t op)
{
	uint32_t i = h->n++;

	for (; i && earlier(part, op, h->ops[(i - 1) / 2]); i = (i - 1) / 2)
		h->ops[i] = h->ops[(i - 1) / 2];
	h->ops[i] = op;
}

uint32_t heap_pop(struct return_heap *h, const struct lin_part *part)
{
	uint32_t top = h->ops[0], last = h->ops[--h->n], i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && earlier(part, h->ops[child + 1], h->ops[child]))
			child++;
		if (!earlier(part, h->ops[child], last))
			break;
		h->ops[i] = h->ops[child];
		i = child;
	}
	h->ops[i] = last;
	return top;
}
