-- Who delivers to a receiver: one process at a time, until its lease ends. Whatever it tells afterwards must name it.
CREATE TABLE leases (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    number BIGINT NOT NULL,
    holder TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, receiver)
) CLUSTERED;

-- Deliveries that came to an end. The outbox holds what is pending, and nothing else: ending a delivery moves it here.
CREATE TABLE deliveries (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    history_code BIGINT NOT NULL,
    -- It arrived, at the first attempt, unless it is said otherwise.
    state BIGINT NOT NULL DEFAULT 2,
    tries BIGINT NOT NULL DEFAULT 1,
    ended_at BIGINT NOT NULL,
    -- The attempt that arrived: what was answered, and after how long. It has no row among the attempts.
    status BIGINT,
    millis BIGINT,
    PRIMARY KEY (tenant, receiver, history_code)
) CLUSTERED;
CREATE INDEX deliveries_exhausted ON deliveries (tenant, receiver, history_code) WHERE state = 3;
INSERT INTO deliveries (tenant, receiver, history_code, state, tries, ended_at)
    SELECT tenant, receiver, history_code, state, tries, COALESCE(ended_at, created_at) FROM outbox WHERE state <> 1;
DELETE FROM outbox WHERE state <> 1;
DROP INDEX outbox_pending;
DROP INDEX outbox_by_state;
ALTER TABLE outbox DROP COLUMN state;
ALTER TABLE outbox DROP COLUMN ended_at;

-- From now on a record has a queue only while its next change waits for a moment: after a failure, or because it goes again.
-- Those that are there wait for one that has come, or comes when their lease would have ended.
DELETE FROM queues WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = queues.tenant
    AND o.receiver = queues.receiver AND o.history_code = queues.head);
ALTER TABLE queues DROP COLUMN tries;
ALTER TABLE queues DROP COLUMN lease;
ALTER TABLE queues DROP COLUMN holder;
