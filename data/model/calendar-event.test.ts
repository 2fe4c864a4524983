import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { type CalendarEvent, toICalendar } from './calendar-event.ts';

const sample: CalendarEvent = {
  uid: 'entry@example.com',
  at: Date.UTC(2027, 4, 20, 9, 30, 1),
  title: 'BD stake unlocks',
  description: 'From then on it can be withdrawn.\nNothing happens by itself; you withdraw, when you wish.',
  remindDaysBefore: 1,
};
const WRITTEN_AT = Date.UTC(2026, 10, 21);

function parseCalendar(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const event = calendar.getFirstSubcomponent('vevent');
  if (!event) throw new Error('No event.');
  const at = event.getFirstPropertyValue('dtstart');
  if (!(at instanceof ICAL.Time)) throw new Error('No start.');
  return {
    uid: event.getFirstPropertyValue('uid'),
    title: event.getFirstPropertyValue('summary'),
    description: event.getFirstPropertyValue('description'),
    at: at.toJSDate().getTime(),
    reminder: String(event.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger')),
  };
}

describe('an event as a calendar file', () => {
  it('is read correctly by an independent library', () => {
    expect(parseCalendar(toICalendar(sample, WRITTEN_AT))).toEqual({
      uid: sample.uid,
      title: sample.title,
      description: sample.description,
      at: sample.at,
      reminder: '-P1D',
    });
  });

  it('has lines that end in CRLF and are at most 75 octets long, for any text', () => {
    const anyText = fc.string({
      unit: fc.constantFrom(...'abc ;,\\:"\n\t\u0000é＝𝄞🦆'),
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(anyText, anyText, (title, description) => {
        const text = toICalendar({ ...sample, title, description }, WRITTEN_AT);
        expect(text.endsWith('\r\n')).toBe(true);
        for (const line of text.slice(0, -2).split('\r\n')) {
          expect(line).not.toMatch(/[\r\n]/);
          expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
        }
        const stripControls = (text: string) => text.replaceAll('\t', '').replaceAll('\u0000', '');
        expect(parseCalendar(text)).toMatchObject({
          title: stripControls(title),
          description: stripControls(description),
        });
      }),
    );
  });

  it('never starts a line with text from a field', () => {
    const text = toICalendar({ ...sample, title: 'x\r\nATTENDEE:mailto:a@example.com' }, WRITTEN_AT);
    expect(text).not.toMatch(/^ATTENDEE/m);
  });
});
