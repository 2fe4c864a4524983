import type { Request } from 'express';
import {
  formApplication,
  overlayApplication,
  submitApplication,
  submitApplicationV2,
  testPageApplication,
} from '../../data/contract/applications.ts';
import { rowId } from '../../data/store/row-id.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limited } from '../security/rate-limit.ts';
import { fromForm, fromOverlay, fromTestPage, type StatedApplication } from './normalise-application.ts';
import { readForm } from './read-form.ts';
import {
  answerOf,
  checkWallet,
  hasProved,
  type SubmissionDependencies,
  stakeIfReadable,
  submissionTerms,
} from './take-submission.ts';

/** What was read of a request, and what it says. */
interface ReadApplication {
  readonly body: unknown;
  readonly stated: StatedApplication;
}

/** The first call takes two shapes; the test page is the one that names the applicant `name`. */
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

/** `POST /api/card/submit-application` and `-v2`: anyone may apply, and the portal reads the stake itself. */
export function applicationRoutes(dependencies: SubmissionDependencies): readonly ApiRoute[] {
  const { store, checkStake, readProvenWallet, now, limit } = dependencies;

  async function take(
    request: Request,
    { body, stated }: ReadApplication,
    answer: Readonly<Record<string, unknown>>,
  ) {
    const { walletAddress } = stated;
    checkWallet(walletAddress);
    const terms = submissionTerms(request, body, answer, now());
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
    return answerOf(await store.submitApplication(application, terms));
  }

  return [
    {
      method: submitApplication.method,
      path: submitApplication.path,
      handle: limited(limit, async (request, response) => {
        response.json(await take(request, readFirstCall(request.body), { success: true }));
      }),
    },
    {
      method: submitApplicationV2.method,
      path: submitApplicationV2.path,
      handle: limited(limit, async (request, response) => {
        const answer = { success: true, deliveryMethods: ['email', 'telegram'] };
        response.json(await take(request, readSecondCall(request.body), answer));
      }),
    },
  ];
}
