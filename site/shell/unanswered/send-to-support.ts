import { CONTACT_FORM } from '../../../data/model/forms/contact-form.ts';
import { readDraft, storeDraft } from '../../islands/form/draft.ts';

const FORM_PATH = '/contact#send-message';

function withQuestion(message: string, question: string): string {
  if (message.includes(question)) return message;
  return [message.trimEnd(), question].filter((part) => part !== '').join('\n\n');
}

/** Adds a question to the message if the contact page is open. @returns whether the page is open */
function addToOpenForm(question: string): boolean {
  const field = document.querySelector<HTMLTextAreaElement>('[data-contact-form] [name=message]');
  if (!field) return false;
  field.value = withQuestion(field.value, question);
  // Stores the draft, as typing does.
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
  return true;
}

/**
 * Opens the contact form with a question in its message. Text that is already in the message stays. The question is passed in
 * the form's draft in session storage, because URLs are logged.
 */
export function sendToSupport(question: string, open = (path: string) => location.assign(path)): void {
  if (addToOpenForm(question)) return;
  const draft = readDraft(CONTACT_FORM.name);
  const message = withQuestion(draft?.values.message ?? '', question);
  storeDraft(CONTACT_FORM.name, { values: { ...draft?.values, message }, attempt: draft?.attempt ?? null });
  open(FORM_PATH);
}
