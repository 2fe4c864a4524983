import { useState } from 'react';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { addressOf } from '../position/wallet-address.ts';
import { AddressEntry } from '../ui/AddressEntry.tsx';

export const ADDRESS_FIELD = 'verify-wallet';

interface AddressFormProps {
  /** The connected wallet, which the field shows until the visitor types; null if none is connected. */
  readonly connected: string | null;
  readonly isVerifying: boolean;
  readonly isSecondary?: boolean;
  readonly onVerify: (walletAddress: string) => void;
}

export function AddressForm({ connected, isVerifying, isSecondary = false, onVerify }: AddressFormProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isInvalid, setInvalid] = useState(false);
  const text = typed ?? connected ?? '';
  const submit = () => {
    const address = addressOf(text);
    setInvalid(address === null);
    if (address !== null) onVerify(address);
    return address !== null;
  };
  return (
    <AddressEntry
      id={ADDRESS_FIELD}
      hint={`Verification can take up to ${SERVICE_TIMES.verificationSeconds} seconds.`}
      text={text}
      onText={(value) => {
        setTyped(value);
        setInvalid(false);
      }}
      isInvalid={isInvalid}
      isBusy={isVerifying}
      isSecondary={isSecondary}
      submitLabel={isVerifying ? 'Verifying...' : 'Verify Wallet'}
      canSubmit={text.trim() !== ''}
      onSubmit={submit}
    />
  );
}
