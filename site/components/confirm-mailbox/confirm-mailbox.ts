import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { confirmMailbox } from '../../../data/contract/submissions.ts';
import { post, RequestError, serverMessage } from '../../data/request.ts';
import { requireElement } from '../../shell/elements.ts';

/**
 * Like `takeToken` in `link-token.ts`. Importing that one would load 100 kB more, because the build puts it in a chunk
 * with React.
 */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token || null;
}

/** Whether the link itself is invalid or has expired, so that a retry cannot help. */
const isFinal = ({ status }: RequestError) => status === 400 || status === 404 || status === 410;

export function startConfirmation(page: ParentNode): void {
  const root = requireElement(page, '[data-confirm]');
  const button = requireElement<HTMLButtonElement>(root, '[data-send]');
  const failure = requireElement(root, '[data-failure]');
  const idleLabel = button.textContent;
  let token: string | null = null;

  const showStep = (step: 'ready' | 'confirmed' | 'refused') => {
    root.dataset.step = step;
    if (step !== 'ready') requireElement(root, `[data-for-step=${step}]`).focus();
  };
  const showFailure = (message: string | null) => {
    failure.textContent = message;
    failure.hidden = message === null;
  };

  const readLink = () => {
    const linkToken = takeToken();
    if (linkToken === null) return;
    token = linkToken;
    showFailure(null);
    showStep('ready');
  };

  const confirm = async () => {
    if (token === null || button.disabled) return;
    const sentToken = token;
    button.disabled = true;
    button.textContent = button.dataset.busy ?? '';
    showFailure(null);
    try {
      const { referenceNumber, isFirst } = await post<ResponseOf<typeof confirmMailbox>>(
        PATHS.confirmMailbox,
        {
          token: sentToken,
        },
      );
      requireElement(root, '[data-newly-confirmed]').hidden = !isFirst;
      requireElement(root, '[data-already-confirmed]').hidden = isFirst;
      requireElement(root, '[data-reference]').textContent = referenceNumber;
      requireElement<HTMLAnchorElement>(root, '[data-status-link]').hash = `reference=${referenceNumber}`;
      showStep('confirmed');
    } catch (error) {
      const message = error instanceof RequestError ? serverMessage(error.body) : null;
      if (error instanceof RequestError && isFinal(error)) {
        requireElement(root, '[data-failure-reason]').textContent =
          message ?? 'This confirmation link is not valid.';
        showStep('refused');
      } else if (error instanceof RequestError) {
        showFailure(message ?? 'Something went wrong on our side. Try again.');
      } else {
        showFailure('We could not reach the portal. Check your connection and try again.');
      }
    }
    button.disabled = false;
    button.textContent = idleLabel;
  };

  readLink();
  // Pasting another link into the open page changes only the fragment, so the page is not reloaded.
  addEventListener('hashchange', readLink);
  button.addEventListener('click', () => void confirm());
}
