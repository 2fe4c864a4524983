import type { FormFields, FormSpec } from './field.ts';

const EVIDENCE_HINT = 'Transaction signatures or links. Never a seed phrase or a private key.';

/** The stored fields of a request for manual verification, from either form below. */
export const VERIFICATION_REQUEST_FIELDS = {
  walletAddress: { kind: 'wallet', label: 'Wallet', hasOwnColumn: true },
  email: { kind: 'email', label: 'Email Address', hasOwnColumn: true },
  telegram: { kind: 'telegram', label: 'Telegram', optional: true, hasOwnColumn: true },
  claimedAmount: { kind: 'amount', label: 'Claimed BD' },
  reason: { kind: 'lines', label: 'Reason' },
  evidence: { kind: 'lines', label: 'Evidence', optional: true },
  statedDetection: { kind: 'line', label: 'Detected, according to the applicant', maxLength: 300 },
} as const satisfies FormFields;

/** The form in the modal for manual verification. */
export const REQUEST_FORM = {
  name: 'verification-request',
  fields: {
    walletAddress: { kind: 'wallet', label: 'Wallet Address', readOnly: true },
    userEmail: { kind: 'email', label: 'Email Address *', invalid: 'Valid email address required' },
    userTelegram: { kind: 'telegram', label: 'Telegram Username', optional: true },
    claimedStakedAmount: {
      kind: 'amount',
      label: 'BD Tokens You Have Staked *',
      missing: 'Please specify the amount you have staked',
    },
    requestReason: {
      kind: 'lines',
      label: 'Why do you believe our system is incorrect? *',
      noun: 'the reason',
      minLength: 10,
      maxLength: 2_000,
      invalid: 'Please provide a detailed reason (minimum 10 characters)',
      rows: 4,
    },
    evidenceProvided: {
      kind: 'lines',
      label: 'Additional Evidence',
      hint: EVIDENCE_HINT,
      optional: true,
      maxLength: 4_000,
      rows: 3,
    },
  },
} as const satisfies FormSpec;

const { userEmail, userTelegram, requestReason, evidenceProvided } = REQUEST_FORM.fields;

/** The body that both forms send. In the inline form, the evidence is also sent as the reason. */
export const REQUEST_BODY = {
  ...REQUEST_FORM.fields,
  requestReason: { ...requestReason, minLength: 1, maxLength: evidenceProvided.maxLength },
  currentDetection: VERIFICATION_REQUEST_FIELDS.statedDetection,
} as const;

/** The inline form, which has fewer fields. */
export const SHORT_REQUEST_FORM = {
  name: 'short-request',
  fields: {
    userEmail: { ...userEmail, label: 'Email *' },
    userTelegram,
    evidence: {
      kind: 'lines',
      label: 'Staking Evidence *',
      hint: EVIDENCE_HINT,
      maxLength: evidenceProvided.maxLength,
      rows: 3,
    },
  },
} as const satisfies FormSpec;

/** What the inline form sends for fields that it does not show. `requestReason` is sent only if the evidence is empty. */
export const SHORT_REQUEST_VALUES = {
  claimedStakedAmount: 'Unable to specify - requesting manual verification',
  requestReason: 'Manual verification requested through inline form',
} as const;

/** Whether a request was sent with the inline form, which does not ask for an amount. */
export const isShortRequest = ({ claimedAmount }: { readonly claimedAmount?: string | null }): boolean =>
  claimedAmount === SHORT_REQUEST_VALUES.claimedStakedAmount;
