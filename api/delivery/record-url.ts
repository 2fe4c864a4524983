/** @param teamOrigin the URL of the team's pages without a trailing slash */
export function recordUrl(teamOrigin: string, referenceNumber: string): string {
  return `${teamOrigin}/admin/dashboard#overview?record=${referenceNumber}`;
}
