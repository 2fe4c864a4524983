// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import { AddressForm } from './AddressForm.tsx';

it('the address field follows the connected wallet, even if the form appears after the wallet has connected', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const element = document.createElement('div');
  document.body.append(element);
  const root = createRoot(element);
  const show = (connectedAddress: string) =>
    act(async () =>
      root.render(
        <AddressForm connectedAddress={connectedAddress} isVerifying={false} onVerify={() => {}} />,
      ),
    );
  await show('one');
  await show('one');
  await show('two');
  expect(element.querySelector('input')?.value).toBe('two');
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});
