import type { submitApplicationV2 } from '../../../data/contract/applications.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import {
  aliasFault,
  FIELD_WORDS,
  mailFault,
  phoneFault,
  SHORTEST,
} from '../../../data/model/application-rules.ts';
import { characterCount, cleanLine } from '../../../data/model/form-text.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import type { FormPlan } from '../form/use-form.ts';
import type { VerifiedWallet } from './verified-wallet.ts';

const PATH: (typeof submitApplicationV2)['path'] = '/api/card/submit-application-v2';

/** Said where the server had no words. What was typed is in the form, and in the tab's draft of it. */
export const LOGGED_FOR_RECOVERY = 'Error occurred but application data is logged for recovery';

export type ApplicationField = 'firstName' | 'lastName' | 'email' | 'phoneNumber' | 'alias' | 'website';

const namePart = (words: string) => (value: string) =>
  characterCount(value) < SHORTEST.namePart ? words : null;

/** The application form, for a wallet that was verified. */
export function applicationPlan({
  walletAddress,
  tier,
  stakedAmount,
}: VerifiedWallet): FormPlan<ApplicationField> {
  return {
    name: 'card-form',
    initial: { firstName: '', lastName: '', email: '', phoneNumber: '', alias: '', website: '' },
    rules: {
      firstName: namePart(FIELD_WORDS.firstName),
      lastName: namePart(FIELD_WORDS.lastName),
      email: mailFault,
      phoneNumber: phoneFault,
      alias: aliasFault,
    },
    path: PATH,
    payload: ({
      firstName,
      lastName,
      email,
      phoneNumber,
      alias,
      website,
    }): BodyOf<typeof submitApplicationV2> => ({
      name: `${cleanLine(firstName)} ${cleanLine(lastName)}`,
      email,
      wallet: walletAddress,
      bd_amount: stakedAmount,
      tier,
      phone: phoneNumber,
      alias,
      ...(website === '' ? {} : { website }),
    }),
    onAccepted: (referenceNumber) =>
      void showToast({
        title: 'Application Secured Successfully',
        text: `Your reference number is ${referenceNumber}.`,
        kind: 'success',
      }),
    onFailed: (failure) =>
      void showToast({
        title: 'Submission Error',
        text: (failure.kind === 'refused' ? failure.words : null) ?? LOGGED_FOR_RECOVERY,
        kind: 'failure',
        seconds: 10,
      }),
  };
}
