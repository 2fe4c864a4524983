export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** A label and its value, such as a name. A fact without a value is left out. */
export type MailFact = readonly [label: string, value: string | null];

export interface MailFooter {
  readonly postalAddress: string;
  readonly supportEmail: string;
  readonly privacyUrl: string;
}

/** The content of an email. All texts are plain text: rendering escapes them. */
export interface MailTemplate {
  /** Contains nothing that an applicant typed. */
  readonly subject: string;
  /** The heading; the subject by default. */
  readonly title?: string;
  /** What the email is about, above the heading. */
  readonly topic?: string;
  /** The outcome in one word. The heading states it too. */
  readonly badge?: { readonly text: string; readonly tone: 'good' | 'bad' };
  /** Mail programs show it after the subject in their lists. Contains nothing that an applicant typed. */
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
  /** What a person wrote, with its line breaks. Left out if there is no text. */
  | { readonly kind: 'quote'; readonly label: string; readonly text: string | null }
  | { readonly kind: 'button' | 'link'; readonly label: string; readonly url: string };
