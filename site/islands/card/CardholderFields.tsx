import type { CardholderField } from '../../../data/model/cardholder.ts';
import styles from './card.module.css';

export type EnteredCardholder = Partial<Record<Exclude<CardholderField, 'acceptsTerms'>, string>> & {
  readonly acceptsTerms?: true;
};

const FIELDS = {
  firstName: {
    label: 'First name',
    autoComplete: 'given-name',
    hint: 'As in your passport, in Latin letters.',
  },
  lastName: { label: 'Last name', autoComplete: 'family-name', hint: null },
  dateOfBirth: { label: 'Date of birth', autoComplete: 'bday', hint: null, type: 'date' },
  email: { label: 'Email', autoComplete: 'email', hint: null, type: 'email' },
  phone: {
    label: 'Phone',
    autoComplete: 'tel',
    hint: 'Include + and the country code. The issuer sends codes for online payments to this number.',
    type: 'tel',
  },
} as const;

export function CardholderFields({ fields }: { readonly fields: readonly CardholderField[] }) {
  return (
    <fieldset className={styles.confirm} data-cardholder>
      <legend>Required by the card issuer</legend>
      {fields.map((field) => {
        if (field === 'acceptsTerms') {
          return (
            <label key={field} className={styles.switch}>
              <input type="checkbox" name={field} required />
              <span>
                I accept the <a href="/terms-of-service">terms</a> and the card issuer’s cardholder terms.
              </span>
            </label>
          );
        }
        const { label, hint, ...inputAttributes } = FIELDS[field];
        return (
          <div key={field} className={styles.field}>
            <label htmlFor={`holder-${field}`}>{label}</label>
            {hint === null ? null : (
              <p className={styles.quiet} id={`holder-${field}-hint`}>
                {hint}
              </p>
            )}
            <input
              id={`holder-${field}`}
              name={field}
              required
              aria-describedby={hint === null ? undefined : `holder-${field}-hint`}
              {...inputAttributes}
            />
          </div>
        );
      })}
      <p className={styles.quiet}>
        We send these details to the card issuer and store them encrypted. Our team can see them.
      </p>
    </fieldset>
  );
}

/** Returns the entered values; null if a field is empty or invalid, in which case the browser shows the error. */
export function readEnteredCardholder(
  form: HTMLFormElement,
  fields: readonly CardholderField[],
): EnteredCardholder | null {
  for (const field of fields) {
    const input = form.elements.namedItem(field);
    if (input instanceof HTMLInputElement && !input.checkValidity()) {
      input.reportValidity();
      return null;
    }
  }
  const data = new FormData(form);
  return Object.fromEntries(
    fields.map((field) => [field, field === 'acceptsTerms' ? true : String(data.get(field) ?? '').trim()]),
  );
}
