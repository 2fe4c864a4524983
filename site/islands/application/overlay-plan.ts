import type { submitApplication } from '../../../data/contract/applications.ts';
import type { BodyOf } from '../../../data/contract/call.ts';
import { mailFault } from '../../../data/model/application-rules.ts';
import { required } from '../form/required.ts';
import type { FormPlan } from '../form/use-form.ts';

const PATH: (typeof submitApplication)['path'] = '/api/card/submit-application';

export type OverlayField = 'cardAlias' | 'fullName' | 'email' | 'telegram' | 'notes' | 'website';

/** The overlay's form, for a wallet that was verified. */
export function overlayPlan(verified: {
  readonly walletAddress: string;
  readonly tier: string;
  /** BD, decimal text. */
  readonly stakedAmount: string;
}): FormPlan<OverlayField> {
  return {
    name: 'card-application',
    initial: { cardAlias: '', fullName: '', email: '', telegram: '', notes: '', website: '' },
    rules: {
      cardAlias: required('Please give your card an alias'),
      fullName: required('Please enter your full legal name'),
      email: mailFault,
      telegram: required('Please enter your Telegram account'),
    },
    path: PATH,
    payload: ({ website, ...values }): BodyOf<typeof submitApplication> => ({
      ...values,
      walletAddress: verified.walletAddress,
      tier: verified.tier,
      bdAmount: verified.stakedAmount,
      ...(website === '' ? {} : { website }),
    }),
  };
}
