CREATE TRIGGER `audit_records_no_update` BEFORE UPDATE ON `audit_records`
BEGIN
	SELECT RAISE(ABORT, 'audit records are never changed');
END;
--> statement-breakpoint
CREATE TRIGGER `audit_records_no_delete` BEFORE DELETE ON `audit_records`
BEGIN
	SELECT RAISE(ABORT, 'audit records are never deleted');
END;
