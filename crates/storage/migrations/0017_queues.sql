-- Who holds a queue is found by when its lease ends: one index less is written twice for each delivery.
DROP INDEX queues_by_holder;
