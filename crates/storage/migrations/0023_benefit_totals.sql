-- Orderings 5 and 6: all benefits by code, whatever their branch and situation, in blocks of 1,000 and of 32,000.
INSERT INTO listing_tally (tenant, ordering, branch, situation, block, rows)
    SELECT tenant, ordering + 2, 0, 0, block, CAST(SUM(rows) AS BIGINT) FROM listing_tally
    WHERE ordering IN (3, 4) GROUP BY tenant, ordering, block;
