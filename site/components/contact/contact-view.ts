import type { ContactFault, ContactField } from '../../../data/model/contact-rules.ts';

export const CONTACT_FIELDS = [
  'name',
  'email',
  'subject',
  'category',
  'message',
  'walletAddress',
] as const satisfies readonly ContactField[];

/** The fields, and the one that people do not see. */
export type ContactValues = Readonly<Record<ContactField | 'website', string>>;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function part<E extends Element>(within: Element, selector: string): E {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`The contact form has no ${selector}.`);
  return found;
}

/** The form in the page: what is in its fields, and what it shows in which state. */
export class ContactView {
  readonly form: HTMLFormElement;
  readonly summary: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly again: HTMLButtonElement;
  readonly sent: HTMLElement;
  readonly #failure: HTMLElement;

  constructor(form: HTMLFormElement) {
    this.form = form;
    this.summary = part(form, '[data-faults]');
    this.button = part(form, '[type=submit]');
    this.again = part(form, '[data-again]');
    this.sent = part(form, '[data-sent]');
    this.#failure = part(form, '[data-failure]');
  }

  control(name: keyof ContactValues): Control {
    return part(this.form, `[name=${name}]`);
  }

  values(): ContactValues {
    const of = (name: keyof ContactValues) => this.control(name).value;
    return {
      name: of('name'),
      email: of('email'),
      subject: of('subject'),
      category: of('category'),
      message: of('message'),
      walletAddress: of('walletAddress'),
      website: of('website'),
    };
  }

  /** Tells what is wrong, above the form and at each field; what was wrong and no longer is, is told no more. */
  showFaults(faults: readonly ContactFault[]): void {
    for (const name of CONTACT_FIELDS) {
      const control = this.control(name);
      const place = document.getElementById(`${control.id}-fault`);
      const words = faults.find(({ field }) => field === name)?.words;
      if (place) {
        place.hidden = words === undefined;
        place.textContent = words ?? '';
      }
      if (words === undefined) {
        control.removeAttribute('aria-invalid');
        control.removeAttribute('aria-describedby');
      } else {
        control.setAttribute('aria-invalid', 'true');
        control.setAttribute('aria-describedby', `${control.id}-fault`);
      }
    }
    const title = part<HTMLElement>(this.summary, '[data-missing]');
    const { missing = '' } = title.dataset;
    title.textContent = faults.some(({ isMissing }) => isMissing) ? missing : 'There is a problem';
    const items = faults.map(({ field, words }) => {
      const link = document.createElement('a');
      link.href = `#${this.control(field).id}`;
      link.textContent = words;
      link.addEventListener('click', (event) => {
        event.preventDefault();
        this.control(field).focus();
      });
      const item = document.createElement('li');
      item.append(link);
      return item;
    });
    part(this.summary, 'ul').replaceChildren(...items);
    this.summary.hidden = faults.length === 0;
  }

  /** Says that it is being sent, or no longer. */
  showSending(words: string | null): void {
    this.button.dataset.idle ??= this.button.textContent;
    this.button.disabled = words !== null;
    this.button.textContent = words ?? this.button.dataset.idle;
    if (words !== null) this.showOutcome(null);
  }

  /** Says what came of it, in the form, until the next try. */
  showOutcome(outcome: { readonly referenceNumber: string } | { readonly why: string } | null): void {
    const sent = outcome && 'referenceNumber' in outcome ? outcome.referenceNumber : null;
    const why = outcome && 'why' in outcome ? outcome.why : null;
    part(this.sent, '[data-reference]').textContent = sent;
    part(this.#failure, '[data-why]').textContent = why;
    this.sent.hidden = sent === null;
    this.#failure.hidden = why === null;
  }

  /** Gives the focus that a disabled button lost to a part of the form; who went elsewhere meanwhile is left there. */
  takeFocusBack(to: HTMLElement): void {
    const { activeElement } = document;
    if (activeElement === document.body || activeElement === this.button) to.focus();
  }
}
