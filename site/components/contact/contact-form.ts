import type { submitContactMessage } from '../../../data/contract/contact.ts';
import { CONTACT_WORDS, contactFaults } from '../../../data/model/contact-rules.ts';
import { type SubmitOutcome, submitForm } from '../../data/submit-form.ts';
import { attemptFor } from '../../islands/form/attempt.ts';
import { forgetDraft, keepDraft, readDraft } from '../../islands/form/draft.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { CONTACT_FIELDS, type ContactValues, ContactView } from './contact-view.ts';
import { prefillWallet } from './prefill-wallet.ts';

const PATH: (typeof submitContactMessage)['path'] = '/api/contact/submit';
const DRAFT = 'contact';

/** What is sent: the fields that say something. */
function payloadOf(values: ContactValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/**
 * Brings the form to life. A draft survives a reload, a failed message keeps every field, and the same message sent again
 * is known to the server by the same key, so that it is never taken twice.
 */
export function startContactForm(form: HTMLFormElement): void {
  const view = new ContactView(form);
  const draft = readDraft(DRAFT);
  let attempt = draft?.attempt ?? null;
  let isChecked = false;
  let isUnderWay = false;

  // What was typed before the script ran is newer than the draft.
  for (const name of CONTACT_FIELDS) {
    const control = view.control(name);
    if (control.value === '') control.value = draft?.values[name] ?? '';
  }

  const check = () => {
    const faults = contactFaults(view.values());
    view.showFaults(isChecked ? faults : []);
    return faults;
  };

  const succeed = (sent: ContactValues, referenceNumber: string) => {
    attempt = null;
    isChecked = false;
    // What was typed while it was under way belongs to the next message.
    for (const name of CONTACT_FIELDS) {
      const control = view.control(name);
      if (control.value === sent[name]) control.value = '';
    }
    const values = view.values();
    if (Object.keys(payloadOf(values)).length === 0) forgetDraft(DRAFT);
    else keepDraft(DRAFT, { values, attempt });
    view.showOutcome({ referenceNumber });
    view.takeFocusBack(view.sent);
    void showToast({ ...CONTACT_WORDS.sent, kind: 'success', seconds: 5 });
  };

  const fail = (outcome: Exclude<SubmitOutcome, { readonly kind: 'accepted' }>) => {
    const { support = '', offline = '' } = form.dataset;
    const unreached = navigator.onLine ? 'The portal could not be reached. Check your connection.' : offline;
    const why =
      outcome.kind === 'no-network' ? unreached : (outcome.words ?? 'The portal answered with a fault.');
    // Who let a program fill in the field that people do not see cannot empty it.
    if (outcome.kind === 'refused') view.control('website').value = '';
    view.showOutcome({ why });
    view.takeFocusBack(view.button);
    const { title, text } = CONTACT_WORDS.failed;
    void showToast({ title, text: `${text} ${support}`, kind: 'failure', seconds: 6 });
  };

  const submit = async () => {
    if (isUnderWay) return;
    isChecked = true;
    const faults = check();
    if (faults.length > 0) {
      view.summary.focus();
      const isMissing = faults.some((fault) => fault.isMissing);
      if (isMissing) void showToast({ ...CONTACT_WORDS.missing, kind: 'warning', seconds: 4 });
      return;
    }
    const values = view.values();
    const payload = payloadOf(values);
    isUnderWay = true;
    view.showSending(CONTACT_WORDS.sending);
    attempt = attemptFor(attempt, JSON.stringify(payload));
    keepDraft(DRAFT, { values, attempt });
    const outcome = await submitForm(PATH, payload, attempt.key);
    isUnderWay = false;
    view.showSending(null);
    if (outcome.kind === 'accepted') succeed(values, outcome.referenceNumber);
    else fail(outcome);
  };

  form.addEventListener('input', () => {
    keepDraft(DRAFT, { values: view.values(), attempt });
    if (isChecked) check();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  view.again.addEventListener('click', () => void submit());
  prefillWallet(view.control('walletAddress'));
  view.showSending(null);
}
