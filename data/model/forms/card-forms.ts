import type { FormFields, FormSpec } from './field.ts';

const CARD_ALIAS_HINT = "Choose a name you'll easily recognize";

/** The stored fields of a card application, from any of the forms below. */
export const CARD_APPLICATION_FIELDS = {
  name: {
    kind: 'line',
    label: 'Full Name',
    missing: 'Please enter your full legal name',
    hasOwnColumn: true,
  },
  email: { kind: 'email', label: 'Email Address', hasOwnColumn: true },
  walletAddress: { kind: 'wallet', label: 'Wallet', optional: true, hasOwnColumn: true },
  phone: { kind: 'phone', label: 'Phone', optional: true },
  telegram: { kind: 'telegram', label: 'Telegram', optional: true, hasOwnColumn: true },
  alias: { kind: 'line', label: 'Card alias', maxLength: 60, optional: true },
  applicantNotes: { kind: 'lines', label: 'Additional requirements', maxLength: 2_000, optional: true },
} as const satisfies FormFields;

const { name, email, telegram, alias, applicantNotes } = CARD_APPLICATION_FIELDS;

/** The form in the overlay. The portal shows the overlay if the wallet qualifies for a card. */
export const OVERLAY_FORM = {
  name: 'card-application',
  fields: {
    cardAlias: {
      kind: 'line',
      label: 'Card Alias',
      hint: CARD_ALIAS_HINT,
      maxLength: alias.maxLength,
      missing: 'Please give your card an alias',
      autoComplete: 'off',
    },
    fullName: { ...name, label: 'Full Legal Name', autoComplete: 'name' },
    email,
    telegram: { kind: 'telegram', label: 'Telegram Account', missing: 'Please enter your Telegram account' },
    notes: { ...applicantNotes, label: 'Additional Requirements', rows: 3 },
  },
} as const satisfies FormSpec;

/** The fields of the specification's test page. The portal has no such form, but its API accepts the fields. */
export const TEST_PAGE_FIELDS = { name, email, telegram, alias, notes: applicantNotes } as const;

/** The form at `/polished-card`. */
export const CARD_FORM = {
  name: 'card-form',
  fields: {
    firstName: {
      kind: 'line',
      label: 'First name',
      legend: 'Personal information',
      autoComplete: 'given-name',
      minLength: 2,
      maxLength: 59,
      invalid: 'First name must be at least 2 characters',
      halfWidth: true,
    },
    lastName: {
      kind: 'line',
      label: 'Last name',
      autoComplete: 'family-name',
      minLength: 2,
      maxLength: 60,
      invalid: 'Last name must be at least 2 characters',
      halfWidth: true,
    },
    email: { kind: 'email', label: 'Email', legend: 'Contact information', halfWidth: true },
    phoneNumber: {
      kind: 'phone',
      label: 'Phone number',
      minLength: 10,
      invalid: 'Please enter a valid phone number',
      halfWidth: true,
    },
    alias: {
      kind: 'line',
      label: 'Card alias',
      legend: 'Card configuration',
      hint: `${CARD_ALIAS_HINT}, 3 to 20 characters long.`,
      autoComplete: 'off',
      minLength: 3,
      maxLength: 20,
      invalid: 'Alias must be at least 3 characters',
      tooLong: 'Alias must be less than 20 characters',
    },
  },
} as const satisfies FormSpec;

const { firstName: _first, lastName: _last, phoneNumber, ...unchangedFields } = CARD_FORM.fields;

/** The body that the form sends: first and last name in one field, and the phone number as `phone`. */
export const CARD_FORM_BODY = { name, phone: phoneNumber, ...unchangedFields } as const;
