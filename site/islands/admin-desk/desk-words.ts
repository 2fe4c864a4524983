/** Words of values that the team sees, where they differ from how they are stored. */
const WORDS: Readonly<Record<string, string>> = {
  received: 'Received',
  'in-review': 'In review',
  approved: 'Approved',
  approve: 'Approve',
  refused: 'Refused',
  refuse: 'Refuse',
  contradicted: 'Contradicted',
  'card-issued': 'Card issued',
  'virtual-card': 'Virtual card',
  'passport-copy': 'Passport copy',
  'utility-bill': 'Utility bill',
  email: 'Email',
  telegram: 'Telegram',
  only: 'Only those',
  waiting: 'Waiting',
  leased: 'Under way',
  sent: 'Sent',
  dead: 'Given up',
};

/** A stored value as it is read: `'card-issued'` → `'Card issued'`. */
export function wordsOf(value: string): string {
  return WORDS[value] ?? value.charAt(0).toUpperCase() + value.slice(1);
}

let format: Intl.DateTimeFormat | null = null;

/** A moment (ISO 8601) in the language and time zone of the browser. */
export function localMoment(moment: string): string {
  format ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return format.format(new Date(moment));
}
