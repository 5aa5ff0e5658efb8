INSERT INTO ended_location (location, dropped_at)
SELECT place.location, CAST($2 AS BIGINT)
FROM (
    SELECT table_location.location FROM table_location WHERE table_location.table_id = $1
    UNION
    SELECT table_former_location.location FROM table_former_location WHERE table_former_location.table_id = $1
) AS place
WHERE place.location <> ''
ON CONFLICT DO NOTHING;
