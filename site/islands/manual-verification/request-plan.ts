import type { requestVerification } from '../../../data/contract/applications.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import { FIELD_WORDS, INLINE_REQUEST, reasonFault, SHORTEST } from '../../../data/model/application-rules.ts';
import { cleanLine, isMailAddress } from '../../../data/model/form-text.ts';
import { required } from '../form/required.ts';
import type { FormPlan } from '../form/use-form.ts';

const PATH: (typeof requestVerification)['path'] = '/api/whitelist/request-verification';

type Request = BodyOf<typeof requestVerification>;

/** What the page detected of a wallet before its owner asked the team. */
export interface Detected {
  readonly walletAddress: string;
  readonly currentDetection: string;
}

const mailRule = (email: string) => (isMailAddress(email) ? null : FIELD_WORDS.userEmail);

/** What is left out where it is empty. */
function given<Name extends string>(name: Name, value: string): Partial<Record<Name, string>> {
  return cleanLine(value) === '' ? {} : ({ [name]: value } as Record<Name, string>);
}

export type ModalField =
  | 'walletAddress'
  | 'userEmail'
  | 'userTelegram'
  | 'claimedStakedAmount'
  | 'requestReason'
  | 'evidenceProvided'
  | 'website';

/** The form of the modal. */
export function modalPlan({ walletAddress, currentDetection }: Detected): FormPlan<ModalField> {
  return {
    name: 'verification-request',
    initial: {
      walletAddress,
      userEmail: '',
      userTelegram: '',
      claimedStakedAmount: '',
      requestReason: '',
      evidenceProvided: '',
      website: '',
    },
    rules: {
      walletAddress: () => (walletAddress.length < SHORTEST.walletAddress ? FIELD_WORDS.walletAddress : null),
      userEmail: mailRule,
      claimedStakedAmount: required(FIELD_WORDS.claimedStakedAmount),
      requestReason: (reason) => reasonFault(reason, ''),
    },
    path: PATH,
    payload: (values, requestedAt): Request => ({
      walletAddress,
      userEmail: values.userEmail,
      ...given('userTelegram', values.userTelegram),
      claimedStakedAmount: values.claimedStakedAmount,
      requestReason: values.requestReason,
      ...given('evidenceProvided', values.evidenceProvided),
      currentDetection,
      requestedAt,
      ...given('website', values.website),
    }),
  };
}

export type InlineField = 'userEmail' | 'userTelegram' | 'evidence' | 'website';

/** The short form, which asks for no amount, and takes the evidence for the reason. */
export function inlinePlan({ walletAddress, currentDetection }: Detected): FormPlan<InlineField> {
  return {
    name: 'short-request',
    initial: { userEmail: '', userTelegram: '', evidence: '', website: '' },
    rules: { userEmail: mailRule },
    path: PATH,
    payload: ({ userEmail, userTelegram, evidence, website }, requestedAt): Request => ({
      walletAddress,
      userEmail,
      ...given('userTelegram', userTelegram),
      claimedStakedAmount: INLINE_REQUEST.claimedStakedAmount,
      requestReason: cleanLine(evidence) === '' ? INLINE_REQUEST.requestReason : evidence,
      ...given('evidenceProvided', evidence),
      currentDetection,
      requestedAt,
      ...given('website', website),
    }),
  };
}
