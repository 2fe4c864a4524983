import * as PATHS from '../../../data/contract/paths.ts';
import { CONTACT_FORM, CONTACT_TEXTS } from '../../../data/model/forms/contact-form.ts';
import {
  fieldErrors,
  type NamedFieldError,
  type TextFieldName,
  textFieldNames,
} from '../../../data/model/forms/field.ts';
import { type SubmitOutcome, submitForm } from '../../data/submit-form.ts';
import { attemptFor, readDraft, storeDraft } from '../../islands/form/draft.ts';
import { readRememberedWalletName } from '../../islands/wallet/remembered-wallet.ts';
import { createElement, createLink, requireElement } from '../../shell/elements.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';

const { name: DRAFT_NAME, fields: FIELDS } = CONTACT_FORM;
const FIELD_NAMES = textFieldNames(FIELDS);
/** A honeypot: a hidden field that only bots fill in. */
const HONEYPOT = 'website';

type FieldName = TextFieldName<typeof FIELDS> | typeof HONEYPOT;
type Values = Readonly<Record<FieldName, string>>;

const controlOf = (form: HTMLFormElement, name: FieldName) =>
  requireElement<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(form, `[name=${name}]`);

function valuesOf(form: HTMLFormElement): Values {
  const names: readonly FieldName[] = [...FIELD_NAMES, HONEYPOT];
  return Object.fromEntries(names.map((name) => [name, controlOf(form, name).value])) as Values;
}

function showErrors(form: HTMLFormElement, errors: readonly NamedFieldError<typeof FIELDS>[]): void {
  for (const name of FIELD_NAMES) {
    const control = controlOf(form, name);
    const errorElement = requireElement(form, `#${control.id}-error`);
    const message = errors.find((error) => error.name === name)?.message;
    errorElement.hidden = message === undefined;
    errorElement.textContent = message ?? '';
    const hint = document.getElementById(`${control.id}-hint`);
    const descriptionIds = [hint?.id, message && errorElement.id].filter(Boolean).join(' ');
    control.toggleAttribute('aria-describedby', descriptionIds !== '');
    if (descriptionIds !== '') control.setAttribute('aria-describedby', descriptionIds);
    control.setAttribute('aria-invalid', String(message !== undefined));
  }
  const summary = requireElement(form, '[data-errors]');
  const title = requireElement(summary, '[data-missing]');
  title.textContent = errors.some(({ isMissing }) => isMissing)
    ? (title.dataset.missing ?? '')
    : 'There is a problem';
  const items = errors.map(({ name, message }) => {
    const control = controlOf(form, name);
    const link = createLink('', `#${control.id}`, message);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      control.focus();
    });
    return createElement('li', '', link);
  });
  requireElement(summary, 'ul').replaceChildren(...items);
  summary.hidden = errors.length === 0;
}

function showOutcome(
  form: HTMLFormElement,
  outcome: { referenceNumber?: string; failureReason?: string },
): void {
  const { referenceNumber = null, failureReason = null } = outcome;
  const sentMessage = requireElement(form, '[data-sent]');
  const failure = requireElement(form, '[data-failure]');
  requireElement(sentMessage, '[data-reference]').textContent = referenceNumber;
  requireElement(failure, '[data-failure-reason]').textContent = failureReason;
  sentMessage.hidden = referenceNumber === null;
  failure.hidden = failureReason === null;
  requireElement(form, '[data-chat]').hidden = true;
  const button = requireElement<HTMLButtonElement>(form, '[type=submit]');
  // The button lost the focus when it was disabled. Moves the focus only if the visitor has not moved it since.
  const hasLostFocus = document.activeElement === document.body || document.activeElement === button;
  if (hasLostFocus && referenceNumber !== null) sentMessage.focus();
  else if (hasLostFocus && failureReason !== null) button.focus();
}

/** If the portal has a bot, links to a chat in which the bot will announce the answer. The next submission hides the link. */
async function offerChat(form: HTMLFormElement, referenceNumber: string, email: string): Promise<void> {
  const { ANSWERS_LABEL, readAnswersChatUrl } = await import('../../islands/form/answers-chat.ts');
  const url = await readAnswersChatUrl({ referenceNumber, email });
  if (url === null || requireElement(form, '[data-reference]').textContent !== referenceNumber) return;
  const chat = requireElement(form, '[data-chat]');
  chat.replaceChildren(createLink('button', url, ANSWERS_LABEL));
  chat.hidden = false;
}

/**
 * Fills a field with the connected wallet's address until the visitor types a different one. Loads the wallet's state only if a
 * wallet was connected before, or when the visitor connects one.
 * @returns a function that returns the filled-in address
 */
function prefillWallet(field: { value: string }): () => string {
  let prefilledAddress = '';
  let isFollowingWallet = false;
  const followWallet = async () => {
    if (isFollowingWallet) return;
    isFollowingWallet = true;
    const { $wallet } = await import('../../islands/wallet/wallet-stores.ts');
    $wallet.subscribe(({ walletAddress }) => {
      if (field.value !== prefilledAddress) return;
      prefilledAddress = walletAddress ?? '';
      field.value = prefilledAddress;
    });
  };
  if (readRememberedWalletName() !== null) {
    void followWallet();
  } else {
    for (const button of document.querySelectorAll('[data-wallet]')) {
      button.addEventListener('click', () => void followWallet(), { once: true });
    }
  }
  return () => prefilledAddress;
}

/**
 * Starts the form. The draft survives a reload, and the fields keep their values when sending fails. Retries send the same
 * key, so the server accepts the message only once.
 */
export function startContactForm(form: HTMLFormElement): void {
  const button = requireElement<HTMLButtonElement>(form, '[type=submit]');
  const idleLabel = button.textContent;
  const draft = readDraft(DRAFT_NAME);
  let attempt = draft?.attempt ?? null;
  let isSubmitted = false;
  let isInFlight = false;

  // Values typed before the script ran are newer than the draft.
  for (const name of FIELD_NAMES) {
    const control = controlOf(form, name);
    if (control.value === '') control.value = draft?.values[name] ?? '';
  }

  const getPrefilledAddress = prefillWallet(controlOf(form, 'walletAddress'));

  const saveDraft = () => {
    const { [HONEYPOT]: _, ...typedValues } = valuesOf(form);
    // The connected wallet's address is not part of the draft: after a reload, another wallet may be connected.
    const walletAddress =
      typedValues.walletAddress === getPrefilledAddress() ? '' : typedValues.walletAddress;
    const values = { ...typedValues, walletAddress };
    const isEmpty = Object.values(values).every((value) => value === '');
    storeDraft(DRAFT_NAME, isEmpty ? null : { values, attempt });
  };

  const showCurrentErrors = () => {
    const errors = fieldErrors(FIELDS, valuesOf(form));
    showErrors(form, isSubmitted ? errors : []);
    return errors;
  };

  const handleSuccess = (sentValues: Values, referenceNumber: string) => {
    attempt = null;
    isSubmitted = false;
    // Keeps what was typed while the message was being sent.
    for (const name of FIELD_NAMES) {
      const control = controlOf(form, name);
      if (control.value === sentValues[name]) control.value = '';
    }
    saveDraft();
    showOutcome(form, { referenceNumber });
    offerChat(form, referenceNumber, sentValues.email).catch(() => {});
    void showToast({ ...CONTACT_TEXTS.sent, kind: 'success', seconds: 5 });
  };

  const handleFailure = (outcome: Exclude<SubmitOutcome, { readonly kind: 'accepted' }>) => {
    const { support = '', offline = '' } = form.dataset;
    const unreachableText = navigator.onLine
      ? 'The portal could not be reached. Check your connection.'
      : offline;
    // A password manager may have filled in the hidden field, which visitors cannot clear themselves.
    if (outcome.kind === 'refused') controlOf(form, HONEYPOT).value = '';
    const failureReason =
      outcome.kind === 'no-network'
        ? unreachableText
        : (outcome.message ?? 'Something went wrong on our side.');
    showOutcome(form, { failureReason });
    const { title, text } = CONTACT_TEXTS.failed;
    void showToast({ title, text: `${text} ${support}`, kind: 'failure', seconds: 6 });
  };

  const submit = async () => {
    if (isInFlight) return;
    isSubmitted = true;
    const errors = showCurrentErrors();
    if (errors.length > 0) {
      requireElement(form, '[data-errors]').focus();
      const isMissing = errors.some((error) => error.isMissing);
      if (isMissing) void showToast({ ...CONTACT_TEXTS.missing, kind: 'warning', seconds: 4 });
      return;
    }
    const values = valuesOf(form);
    const payload = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    isInFlight = true;
    showOutcome(form, {});
    button.disabled = true;
    button.textContent = CONTACT_TEXTS.sending;
    attempt = attemptFor(attempt, JSON.stringify(payload));
    saveDraft();
    const outcome = await submitForm(PATHS.submitContactMessage, payload, attempt.key);
    isInFlight = false;
    button.disabled = false;
    button.textContent = idleLabel;
    if (outcome.kind === 'accepted') handleSuccess(values, outcome.referenceNumber);
    else handleFailure(outcome);
  };

  form.addEventListener('input', () => {
    saveDraft();
    if (isSubmitted) showCurrentErrors();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  requireElement(form, '[data-retry]').addEventListener('click', () => void submit());
  button.disabled = false;
}
