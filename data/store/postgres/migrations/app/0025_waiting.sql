-- How many milliseconds the team had left when a record began to wait for the applicant; null unless it waits.
alter table $.card_applications add "dueLeft" bigint;
alter table $.verification_requests add "dueLeft" bigint;
alter table $.loan_applications add "dueLeft" bigint;
