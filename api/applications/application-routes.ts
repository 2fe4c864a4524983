import type { Request } from 'express';
import type { z } from 'zod';
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
import type { ApiRoute } from '../known-calls.ts';
import {
  checkWallet,
  hasProved,
  readForm,
  responseOf,
  stakeIfReadable,
  submissionOptions,
  type WalletSubmissionContext,
} from './take-submission.ts';

/** What the applicant stated, in any of the forms. */
type StatedApplication = Omit<
  NewSubmissions['card-application'],
  'id' | 'checked' | 'isOwnershipProven' | 'createdAt'
>;

/** The amount and the tier as the page sent them. */
function stated(amount: number | string | null | undefined, tier: string | null | undefined) {
  return {
    statedAmount: amount === null || amount === undefined || amount === '' ? null : String(amount),
    statedTier: tier || null,
  };
}

function fromOverlay(body: z.output<typeof overlayApplication>): StatedApplication {
  const { fullName, cardAlias, notes, bdAmount, tier, ...typed } = body;
  const fields = { ...typed, name: fullName, alias: cardAlias, applicantNotes: notes };
  return { shape: 'overlay', ...storedFields(CARD_APPLICATION_FIELDS, fields), ...stated(bdAmount, tier) };
}

function fromTestPage(body: z.output<typeof testPageApplication>): StatedApplication {
  const { wallet, notes, bd_amount, tier, ...typed } = body;
  const fields = { ...typed, walletAddress: wallet, applicantNotes: notes };
  return { shape: 'test-page', ...storedFields(CARD_APPLICATION_FIELDS, fields), ...stated(bd_amount, tier) };
}

function fromForm(body: z.output<typeof formApplication>): StatedApplication {
  const { wallet, bd_amount, tier, ...typed } = body;
  const fields = { ...typed, walletAddress: wallet };
  return { shape: 'v2', ...storedFields(CARD_APPLICATION_FIELDS, fields), ...stated(bd_amount, tier) };
}

interface ReadApplication {
  readonly body: unknown;
  readonly stated: StatedApplication;
}

/** The first call has two shapes. Only the test page's shape has a field `name`. */
function readFirstCall(sent: unknown): ReadApplication {
  if (typeof sent === 'object' && sent !== null && Object.hasOwn(sent, 'name')) {
    const body = readForm(testPageApplication, sent);
    return { body, stated: fromTestPage(body) };
  }
  const body = readForm(overlayApplication, sent);
  return { body, stated: fromOverlay(body) };
}

function readSecondCall(sent: unknown): ReadApplication {
  const body = readForm(formApplication, sent);
  return { body, stated: fromForm(body) };
}

/** `POST /api/card/submit-application` and `-v2`. The portal reads the stake itself. */
export function applicationRoutes(context: WalletSubmissionContext): readonly ApiRoute[] {
  const { store, checkStake, readProvenWallet, now } = context;

  async function accept(
    request: Request,
    { body, stated }: ReadApplication,
    result: Readonly<Record<string, unknown>>,
  ) {
    const { walletAddress = null } = stated;
    checkWallet(walletAddress);
    const options = submissionOptions(request, body, result, context);
    const isOwnershipProven = await hasProved(readProvenWallet, request, walletAddress);
    const stake = await stakeIfReadable(checkStake, walletAddress);
    const createdAt = now();
    const application = {
      ...stated,
      id: rowId(createdAt),
      checked: stake && { amount: stake.staked, tier: stake.tier, at: Date.parse(stake.asOf) },
      isOwnershipProven,
      createdAt,
    };
    return responseOf(await store.submissions.submit('card-application', application, options), options);
  }

  return [
    {
      method: submitApplication.method,
      path: submitApplication.path,
      limit: 'submissions',
      handle: async (request, response) => {
        response.json(await accept(request, readFirstCall(request.body), { success: true }));
      },
    },
    {
      method: submitApplicationV2.method,
      path: submitApplicationV2.path,
      limit: 'submissions',
      handle: async (request, response) => {
        const result = { success: true, deliveryMethods: ['email', 'telegram'] };
        response.json(await accept(request, readSecondCall(request.body), result));
      },
    },
  ];
}
