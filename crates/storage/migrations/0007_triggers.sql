-- Deliveries of triggers: what is pending, who has it in hand, and how each receiver fares.

ALTER TABLE receivers ADD COLUMN concurrency BIGINT NOT NULL DEFAULT 8;
ALTER TABLE receivers ADD COLUMN paused_at BIGINT;
-- 1 by hand, 2 it said that it is gone for good, 3 nothing but failures for days.
ALTER TABLE receivers ADD COLUMN paused_because BIGINT;

CREATE TABLE receiver_health (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    -- Failures since the last success, and the first few records among them: '1:77 1:78'.
    failures BIGINT NOT NULL,
    failed_records TEXT NOT NULL,
    failing_since BIGINT,
    -- Nothing is sent before: it asked for patience, or is only probed.
    not_before BIGINT,
    tried_at BIGINT,
    succeeded_at BIGINT,
    PRIMARY KEY (tenant, receiver),
    FOREIGN KEY (tenant, receiver) REFERENCES receivers (tenant, code)
) CLUSTERED;

-- 1 pending, 2 delivered, 3 exhausted.
ALTER TABLE outbox ADD COLUMN state BIGINT NOT NULL DEFAULT 1;
ALTER TABLE outbox ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN ended_at BIGINT;
CREATE INDEX outbox_pending ON outbox (tenant, receiver, entity, record, history_code) WHERE state = 1;
CREATE INDEX outbox_by_state ON outbox (tenant, receiver, state, history_code);

-- Why there was no answer, where there was none.
ALTER TABLE attempts ADD COLUMN failure TEXT;

-- All that is pending for one receiver and one record, while anything is. Whoever delivers leases it: until then it is not
-- due, and whatever he tells of it must name his lease.
CREATE TABLE queues (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    record BIGINT NOT NULL,
    -- What is sent next, and how often it was tried.
    head BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    lease BIGINT,
    holder TEXT,
    PRIMARY KEY (tenant, receiver, entity, record)
) CLUSTERED;
CREATE INDEX queues_by_due ON queues (tenant, receiver, due_at);
CREATE INDEX queues_by_holder ON queues (tenant, holder) WHERE holder IS NOT NULL;
INSERT INTO queues (tenant, receiver, entity, record, head, tries, due_at)
    SELECT tenant, receiver, entity, record, MIN(history_code), 0, MIN(created_at) FROM outbox
    GROUP BY tenant, receiver, entity, record;
