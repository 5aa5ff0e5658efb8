-- The groups that a user's last token named, for explanations of somebody who is not calling. No decision reads it.
CREATE TABLE seen_groups (
    user_name TEXT NOT NULL PRIMARY KEY,
    group_names TEXT NOT NULL,
    seen_at BIGINT NOT NULL
);
