import type { FormSpec } from './field.ts';

export const STATUS_FORM = {
  name: 'status',
  fields: {
    referenceNumber: {
      kind: 'reference',
      label: 'Reference number',
      hint: 'It starts with BD- and is in your confirmation email.',
      invalid: 'Please enter the reference number, such as BD-20260102-123456',
      autoComplete: 'off',
      halfWidth: true,
    },
    email: { kind: 'email', label: 'Email address', hint: 'The one you used in the form.', halfWidth: true },
  },
} as const satisfies FormSpec;
