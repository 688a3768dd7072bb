#include "monitor.h"
void core_add(struct monitor_core *core, uint32_t op){}
enum monitor_answer monitor_set(const struct lin_part *part, const enum set_role *roles,
				struct monitor_core *core){return MONITOR_DECLINES;}
enum monitor_answer monitor_register(const struct lin_part *part,
				     bool (*classify)(const struct lin_part *, const struct lin_op *,
						      struct register_op *),
				     int64_t initial, struct monitor_core *core){return MONITOR_DECLINES;}
enum monitor_answer monitor_counter(const struct lin_part *part,
				    bool (*classify)(const struct lin_op *, enum counter_role *),
				    int64_t initial, struct monitor_core *core){return MONITOR_DECLINES;}
bool monitor_queue(const struct collection *c, struct monitor_core *core){return true;}
bool monitor_stack(const struct collection *c, struct monitor_core *core){return true;}
bool monitor_pqueue_min(const struct collection *c, struct monitor_core *core){return true;}
bool monitor_pqueue_max(const struct collection *c, struct monitor_core *core){return true;}
enum monitor_answer monitor_collection(const struct lin_part *part, uint8_t add, uint8_t remove,
				       collection_monitor monitor, struct monitor_core *core){return MONITOR_DECLINES;}
