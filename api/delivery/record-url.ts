export function recordUrl(teamOrigin: string, referenceNumber: string): string {
  return `${teamOrigin}/admin/dashboard#overview?record=${referenceNumber}`;
}
