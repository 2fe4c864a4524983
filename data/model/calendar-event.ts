/** A calendar event without a duration, with a reminder before it. Times are Unix milliseconds. */
export interface CalendarEvent {
  /** Identifies the event, so that a calendar that imports it again replaces it instead of showing it twice. */
  readonly uid: string;
  readonly at: number;
  readonly title: string;
  readonly description: string;
  readonly remindDaysBefore: number;
}

/** Octets per line, without the line break (RFC 5545, 3.1). */
const LINE_OCTETS = 75;

const encoder = new TextEncoder();

/** Escapes a text value (RFC 5545, 3.3.11) and removes control characters. */
function escapeText(text: string): string {
  return text
    .replaceAll(/\r\n|\r/g, '\n')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) => (character === '\n' ? character : ''))
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);
}

/** Folds a line at 75 octets, never within a character. */
function fold(line: string): string {
  const lines: string[] = [];
  let currentLine = '';
  let octets = 0;
  for (const character of line) {
    const length = encoder.encode(character).length;
    if (octets + length > LINE_OCTETS) {
      lines.push(currentLine);
      currentLine = ' ';
      octets = 1;
    }
    currentLine += character;
    octets += length;
  }
  return [...lines, currentLine].join('\r\n');
}

/** A time in UTC to the second: `20261121T140559Z`. */
function utcText(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** A calendar with one event (RFC 5545), written at `writtenAt`. Times are truncated to the second. */
export function toICalendar(event: CalendarEvent, writtenAt: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//BlackDuck//Portal//EN',
    'BEGIN:VEVENT',
    `UID:${escapeText(event.uid)}`,
    `DTSTAMP:${utcText(writtenAt)}`,
    `DTSTART:${utcText(event.at)}`,
    `SUMMARY:${escapeText(event.title)}`,
    `DESCRIPTION:${escapeText(event.description)}`,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `TRIGGER:-P${event.remindDaysBefore}D`,
    `DESCRIPTION:${escapeText(event.title)}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(fold).join('\r\n')}\r\n`;
}
