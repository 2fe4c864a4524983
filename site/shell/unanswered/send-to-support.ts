import { CONTACT_FORM } from '../../../data/model/forms/contact-form.ts';
import { readDraft, storeDraft } from '../../islands/form/draft.ts';

const FORM_PATH = '/contact#send-message';

function withQuestion(message: string, question: string): string {
  if (message.includes(question)) return message;
  return [message.trimEnd(), question].filter((part) => part !== '').join('\n\n');
}

/** If the contact form is on this page, adds a question to its message. @returns whether the form is on this page */
function addToOpenForm(question: string): boolean {
  const field = document.querySelector<HTMLTextAreaElement>('[data-contact-form] [name=message]');
  if (!field) return false;
  field.value = withQuestion(field.value, question);
  // Makes the form store its draft, as typing does.
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
  return true;
}

/**
 * Opens the contact form with a question added to its message. Text that is already in the message is kept. The question is
 * passed through the form's draft in session storage, not in the URL, because URLs are logged.
 */
export function sendToSupport(question: string, open = (path: string) => location.assign(path)): void {
  if (addToOpenForm(question)) return;
  const draft = readDraft(CONTACT_FORM.name);
  const message = withQuestion(draft?.values.message ?? '', question);
  storeDraft(CONTACT_FORM.name, { values: { ...draft?.values, message }, attempt: draft?.attempt ?? null });
  open(FORM_PATH);
}
