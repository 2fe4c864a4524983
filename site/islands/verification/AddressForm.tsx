import { useState } from 'react';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { addressOf } from '../position/wallet-address.ts';
import { AddressEntry } from '../ui/AddressEntry.tsx';

export const ADDRESS_FIELD_ID = 'verify-wallet';

interface AddressFormProps {
  /** The connected wallet, which the field shows until the visitor types; null if none is connected. */
  readonly connectedAddress: string | null;
  readonly isVerifying: boolean;
  readonly isSecondary?: boolean;
  readonly onVerify: (walletAddress: string) => void;
}

export function AddressForm({
  connectedAddress,
  isVerifying,
  isSecondary = false,
  onVerify,
}: AddressFormProps) {
  const [typedText, setTypedText] = useState<string | null>(null);
  const [isInvalid, setInvalid] = useState(false);
  const text = typedText ?? connectedAddress ?? '';
  const submit = () => {
    const address = addressOf(text);
    setInvalid(address === null);
    if (address !== null) onVerify(address);
    return address !== null;
  };
  return (
    <AddressEntry
      id={ADDRESS_FIELD_ID}
      hint={`Verification can take up to ${SERVICE_TIMES.verificationSeconds} seconds.`}
      text={text}
      onText={(value) => {
        setTypedText(value);
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
