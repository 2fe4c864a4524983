const FORM = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** A moment (Unix ms) as a letter has it: `2 January 2026 at 03:04 UTC`. */
export function moment(at: number): string {
  return `${FORM.format(at)} UTC`;
}
