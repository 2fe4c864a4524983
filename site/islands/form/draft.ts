/** By what a form is known to the server when it is sent again: kept with the draft, so that a reload changes nothing. */
export interface Attempt {
  readonly key: string;
  /** When it was first sent, ISO 8601. */
  readonly at: string;
  /** What was sent. Where the form says something else now, it is another attempt. */
  readonly sent: string;
}

/** What is kept of a form that is not sent yet. It never leaves the tab: session storage ends with it. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  readonly attempt: Attempt | null;
}

const place = (name: string) => `draft:${name}`;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function attemptOf(value: unknown): Attempt | null {
  const { key, at, sent } = textsOf(value);
  return key && at && sent ? { key, at, sent } : null;
}

/** The draft of a form, or null where none is kept, it cannot be read, or the browser keeps nothing. */
export function readDraft(name: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place(name)) ?? 'null');
    return isRecord(kept) ? { values: textsOf(kept.values), attempt: attemptOf(kept.attempt) } : null;
  } catch {
    return null;
  }
}

/** Keeps a draft in place of the one before. Where the browser keeps nothing, the form itself still does. */
export function keepDraft(name: string, draft: Draft): void {
  try {
    sessionStorage.setItem(place(name), JSON.stringify(draft));
  } catch {
    // Storage is blocked or full.
  }
}

export function forgetDraft(name: string): void {
  try {
    sessionStorage.removeItem(place(name));
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
