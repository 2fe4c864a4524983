/** A moment for reading: `'20 May 2027, 09:30 UTC'`. Takes an ISO moment. */
export function momentText(moment: string): string {
  const at = new Date(moment);
  return `${at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
