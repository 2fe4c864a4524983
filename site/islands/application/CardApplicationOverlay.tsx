import { useEffect } from 'react';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { useForm } from '../form/use-form.ts';
import { OverlayForm } from './OverlayForm.tsx';
import { OverlaySuccess } from './OverlaySuccess.tsx';
import { overlayPlan } from './overlay-plan.ts';
import type { VerifiedWallet } from './verified-wallet.ts';

/** Milliseconds between the success screen and its alert. */
const ALERT_AFTER = 500;

const TITLE_ID = 'card-application-title';

export interface CardApplicationOverlayProps extends VerifiedWallet {
  /** Called once it is closed, however that happens. */
  readonly onClose: () => void;
}

/** The card application over the whole page, for a wallet whose stake qualifies. */
export default function CardApplicationOverlay({ onClose, ...verified }: CardApplicationOverlayProps) {
  const form = useForm(overlayPlan(verified));
  const { sending } = form;
  const taken = sending.kind === 'accepted' ? sending.referenceNumber : null;
  useEffect(() => {
    if (taken === null) return;
    const timer = setTimeout(() => {
      void showToast({
        title: 'Application Submitted Successfully!',
        text: `Your reference number is ${taken}.`,
        kind: 'success',
      });
    }, ALERT_AFTER);
    return () => clearTimeout(timer);
  }, [taken]);
  return (
    <ModalDialog labelledby={TITLE_ID} isBusy={sending.kind === 'submitting'} onClose={onClose}>
      {(close) =>
        taken === null ? (
          <OverlayForm form={form} verified={verified} titleId={TITLE_ID} close={close} />
        ) : (
          <OverlaySuccess titleId={TITLE_ID} referenceNumber={taken} close={close} />
        )
      }
    </ModalDialog>
  );
}
