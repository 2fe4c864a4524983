import { describe, expect, it, onTestFinished } from 'vitest';
import {
  applicationStatus,
  requestVerification,
  submitApplicationV2,
} from '../../data/contract/submissions.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal } from '../testing/test-portal.ts';
import { FORM_V2, REQUEST } from './testing/sample-forms.ts';

async function startAndSubmit(path: string, body: unknown) {
  const portal = await startTestPortal({ rateLimits: { 'status-checks': 3, 'status-checks-of-email': 20 } });
  onTestFinished(() => portal.close());
  const { referenceNumber } = JSON.parse((await sendForm(portal.port, path, body)).body);
  const ask = (reference: string, email: string) =>
    sendForm(portal.port, applicationStatus.path, { referenceNumber: reference, email });
  return { portal, referenceNumber, ask };
}

describe('the status of a submission', () => {
  it.each([
    ['card-application', submitApplicationV2.path, FORM_V2],
    ['verification-request', requestVerification.path, REQUEST],
  ])('has the timeline of a %s, for anyone with its number and email address', async (kind, path, body) => {
    const { referenceNumber, ask } = await startAndSubmit(path, body);
    const answer = await ask(` ${referenceNumber.toLowerCase()}`, 'Ada@Example.com ');
    expect(applicationStatus.response.parse(JSON.parse(answer.body))).toEqual({
      success: true,
      referenceNumber,
      kind,
      status: 'received',
      timeline: [{ at: '2026-01-01T00:00:00.000Z', status: 'received', note: null }],
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is the same 404 response for an unknown number and for a wrong email address', async () => {
    const { referenceNumber, ask } = await startAndSubmit(submitApplicationV2.path, FORM_V2);
    const wrong = await ask(referenceNumber, 'bo@example.com');
    const unknown = await ask('BD-20200101-100000', 'ada@example.com');
    expect([wrong.status, wrong.body]).toEqual([404, unknown.body]);
    expect(unknown.status).toBe(404);
  });

  it('has a limit per email address and minute, for all network addresses together', async () => {
    const { portal, referenceNumber } = await startAndSubmit(submitApplicationV2.path, FORM_V2);
    const askFrom = (machine: number, email: string) =>
      sendForm(
        portal.port,
        applicationStatus.path,
        { referenceNumber, email },
        { 'X-Forwarded-For': `10.2.0.${machine}` },
      );
    for (let machine = 1; machine <= 20; machine += 1) await askFrom(machine, 'ada+x@example.com');
    const refused = await askFrom(21, 'Ada@example.com');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([429, 'too-many-requests']);
    expect((await askFrom(21, 'bo@example.com')).status).toBe(404);
  });

  it('has a limit per network address and minute', async () => {
    const { referenceNumber, ask } = await startAndSubmit(submitApplicationV2.path, FORM_V2);
    for (let count = 0; count < 3; count += 1) await ask(referenceNumber, 'bo@example.com');
    expect((await ask(referenceNumber, 'ada@example.com')).status).toBe(429);
  });
});
