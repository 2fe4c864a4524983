ALTER TABLE `admins` ADD `addedBy` text;--> statement-breakpoint
UPDATE `admins` SET `addedBy` = (
  SELECT r.`actor` FROM `audit_records` r JOIN `admins` o ON o.`id` = r.`actor`
  WHERE r.`action` = 'admin.added' AND json_extract(r.`details`, '$.adminId') = `admins`.`id`
);
