import {
  formApplication,
  overlayApplication,
  submitApplication,
  submitApplicationV2,
  testPageApplication,
} from '../../data/contract/submissions.ts';
import { CARD_APPLICATION_FIELDS } from '../../data/model/forms/card-forms.ts';
import { storedFields } from '../../data/model/forms/field.ts';
import { rowId } from '../../data/store/row-id.ts';
import type { NewSubmissions } from '../../data/store/submission-port.ts';
import { type ApiRoute, callRoute } from '../known-calls.ts';
import {
  checkWallet,
  readForm,
  readWallet,
  submissionOptions,
  submissionResponse,
  type WalletSubmissionContext,
} from './take-submission.ts';

/** The fields that an applicant stated, under the same names for every form. */
type StatedApplication = Omit<
  NewSubmissions['card-application'],
  'id' | 'checked' | 'isOwnershipProven' | 'createdAt'
>;

interface ParsedApplication {
  readonly body: unknown;
  readonly stated: StatedApplication;
}

/** @param fields the form's values under the names of the stored fields */
function toStatedApplication(
  formVariant: StatedApplication['shape'],
  fields: Parameters<typeof storedFields<typeof CARD_APPLICATION_FIELDS>>[1],
  amount: number | string | null | undefined,
  tier: string | null | undefined,
): StatedApplication {
  return {
    shape: formVariant,
    ...storedFields(CARD_APPLICATION_FIELDS, fields),
    statedAmount: amount === null || amount === undefined || amount === '' ? null : String(amount),
    statedTier: tier || null,
  };
}

/** The call accepts two shapes, from the overlay and from the test page. Only the test page's has a field `name`. */
function parseApplication(sent: unknown): ParsedApplication {
  if (typeof sent === 'object' && sent !== null && Object.hasOwn(sent, 'name')) {
    const body = readForm(testPageApplication, sent);
    const { wallet, notes, bd_amount, tier, ...typed } = body;
    const fields = { ...typed, walletAddress: wallet, applicantNotes: notes };
    return { body, stated: toStatedApplication('test-page', fields, bd_amount, tier) };
  }
  const body = readForm(overlayApplication, sent);
  const { fullName, cardAlias, notes, bdAmount, tier, ...typed } = body;
  const fields = { ...typed, name: fullName, alias: cardAlias, applicantNotes: notes };
  return { body, stated: toStatedApplication('overlay', fields, bdAmount, tier) };
}

function parseApplicationV2(sent: unknown): ParsedApplication {
  const body = readForm(formApplication, sent);
  const { wallet, bd_amount, tier, ...typed } = body;
  return { body, stated: toStatedApplication('v2', { ...typed, walletAddress: wallet }, bd_amount, tier) };
}

/** `POST /api/card/submit-application` and `-v2`. The stake in the form is a claim, so the portal also reads the actual one. */
export function applicationRoutes(context: WalletSubmissionContext): readonly ApiRoute[] {
  const route = (
    call: typeof submitApplication | typeof submitApplicationV2,
    parse: (sent: unknown) => ParsedApplication,
    result: Readonly<Record<string, unknown>>,
  ) =>
    callRoute(call, { limit: 'submissions' }, async (request, response) => {
      const { body, stated } = parse(request.body);
      const { walletAddress = null } = stated;
      checkWallet(walletAddress);
      const options = submissionOptions(request, body, result, context);
      const { stake, isOwnershipProven } = await readWallet(request, walletAddress, context);
      const createdAt = context.now();
      const application = {
        ...stated,
        id: rowId(createdAt),
        checked: stake && { amount: stake.staked, tier: stake.tier, at: Date.parse(stake.asOf) },
        isOwnershipProven,
        createdAt,
      };
      const outcome = await context.store.submissions.submit('card-application', application, options);
      response.json(submissionResponse(outcome, createdAt));
    });
  return [
    route(submitApplication, parseApplication, { success: true }),
    route(submitApplicationV2, parseApplicationV2, {
      success: true,
      deliveryMethods: ['email', 'telegram'],
    }),
  ];
}
