export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A label and its value. A fact with a null value is left out of the email. */
export type MailFact = readonly [label: string, value: string | null];

export interface MailFooter {
  readonly postalAddress: string;
  readonly supportEmail: string;
  readonly privacyUrl: string;
}

/** All texts are plain text: rendering escapes them. */
export interface MailTemplate {
  /** Contains nothing that an applicant typed. */
  readonly subject: string;
  /** The heading. Defaults to the subject. */
  readonly title?: string;
  /** A line above the heading that says what the email is about. */
  readonly topic?: string;
  /** The outcome in one word. The heading states it too. */
  readonly badge?: { readonly text: string; readonly tone: 'good' | 'bad' };
  /** A preview that mail programs show after the subject in a list of emails. Contains nothing that an applicant typed. */
  readonly preheader?: string;
  readonly parts: readonly MailPart[];
}

/** A string is a paragraph. An email has at most one `button`, its main link. */
export type MailPart =
  | string
  | { readonly kind: 'small'; readonly text: string }
  /** A paragraph that keeps its line breaks. */
  | { readonly kind: 'lines'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly MailFact[] }
  | { readonly kind: 'steps'; readonly title: string; readonly steps: readonly string[] }
  /** Text that a person wrote, with its line breaks. Left out of the email if `text` is null. */
  | { readonly kind: 'quote'; readonly label: string; readonly text: string | null }
  | { readonly kind: 'button' | 'link'; readonly label: string; readonly url: string };
