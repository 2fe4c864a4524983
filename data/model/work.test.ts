import { describe, expect, it } from 'vitest';
import { SHORT_REQUEST_VALUES } from './forms/verification-forms.ts';
import { LOAN_TERMS } from './loan-terms.ts';
import { SERVICE_TIMES } from './portal-terms.ts';
import { dueTime, promisedHours } from './work.ts';

describe('the team has to act', () => {
  it.each([
    ['card-application', {}, SERVICE_TIMES.applicationReviewHours],
    ['verification-request', { claimedAmount: '1500000' }, SERVICE_TIMES.fullReviewHours[1]],
    [
      'verification-request',
      { claimedAmount: SHORT_REQUEST_VALUES.claimedStakedAmount },
      SERVICE_TIMES.shortReviewHours,
    ],
    ['contact-message', { category: 'technical' }, SERVICE_TIMES.priorityHours],
    ['contact-message', { category: 'staking' }, SERVICE_TIMES.emailHours],
    ['contact-message', { category: null }, SERVICE_TIMES.emailHours],
    ['loan-application', {}, LOAN_TERMS.confirmationHours],
  ] as const)('on a %s %o within the promised %i hours', (kind, fields, hours) => {
    expect(promisedHours(kind, fields)).toBe(hours);
    expect(dueTime(kind, fields, 1_000)).toBe(1_000 + hours * 3_600_000);
  });
});
