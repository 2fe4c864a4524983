// @vitest-environment happy-dom
import { act } from 'react';
import { expect, it } from 'vitest';
import { openServedPage } from '../testing/served-page.tsx';
import ApplicationStatus from './ApplicationStatus.tsx';

it('the status page fills in the reference number from a link, even if the page is already open', async () => {
  location.hash = '#reference=BD-20260101-000001';
  const page = await openServedPage(<ApplicationStatus />);
  const number = () => page.root.querySelector<HTMLInputElement>('[name=referenceNumber]')?.value;
  expect(number()).toBe('BD-20260101-000001');
  await act(async () => {
    location.hash = '#reference=BD-20260102-000002';
    window.dispatchEvent(new Event('hashchange'));
  });
  expect(number()).toBe('BD-20260102-000002');
  await page.close();
});
