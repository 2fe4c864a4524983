import { t } from '../../data/model/locale.ts';
import { readRememberedWalletName } from '../islands/wallet/remembered-wallet.ts';
import { readStored, writeStored } from './browser-storage.ts';
import { startDuckling } from './duckling/open-duckling.ts';
import { createButton, createElement } from './elements.ts';
import { startHealthIndicator } from './health/health-indicator.ts';
import { IDLE_OPTIONS } from './idle-options.ts';
import { startThemeSwitch } from './theme-switch.ts';
import { loadToasts, showToast } from './toasts/show-toast.ts';
import { unreachableNotice } from './unreachable-notice.ts';

/**
 * How long (ms) an idle page waits before it preloads code, so that the page's own figures load first. On a first visit, the
 * service worker's registration also waits, because the worker downloads every file that it stores.
 */
const IDLE_DELAY_MS = 2_000;

async function registerWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // The first worker that a visitor gets is not an update.
  let hadWorker = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (hadWorker) void import('./toasts/announce-update.ts').then(({ announceUpdate }) => announceUpdate());
    hadWorker = true;
  });
  if (!hadWorker) await new Promise((resolve) => setTimeout(resolve, IDLE_DELAY_MS));
  await serviceWorker.register('/sw.js', { updateViaCache: 'none' });
}

/** A local storage key. The value is the day, in the visitor's time zone, on which the terms were last accepted. */
const TERMS_KEY = 'disclaimerAcceptedOn';

const today = () => new Date().toDateString();

/**
 * Makes the next Tab key press move to the skip link, the first link on the page. Without this, Tab would continue after the
 * terms, past the skip link. If the dialog has returned the focus to an element, the focus stays there.
 */
function restartTabOrder(closedDialog: HTMLDialogElement): void {
  const { activeElement, body } = document;
  // Until the next frame, the button in the closed dialog still has the focus.
  if (activeElement !== body && !closedDialog.contains(activeElement)) return;
  body.tabIndex = -1;
  body.focus({ preventScroll: true });
  body.removeAttribute('tabindex');
}

/** Makes acceptance the only way to close the daily terms. The page's inline script has already opened them if they are due. */
function startDailyTerms(): void {
  const dialog = document.querySelector<HTMLDialogElement>('#daily-terms-dialog');
  if (!dialog) return;
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  const handleClose = () => {
    if (dialog.returnValue !== 'accept') {
      dialog.showModal();
      return;
    }
    writeStored('localStorage', TERMS_KEY, today());
    restartTabOrder(dialog);
  };
  dialog.addEventListener('close', handleClose);
  // The visitor may have closed the terms before this script ran.
  if (!dialog.open && dialog.returnValue !== '') handleClose();
  // A page from the back-forward cache may be from a previous day.
  addEventListener('pageshow', (event) => {
    if (!event.persisted || dialog.open || readStored('localStorage', TERMS_KEY) === today()) return;
    dialog.returnValue = '';
    dialog.showModal();
  });
  // The visitor may accept the terms in another tab.
  addEventListener('storage', (event) => {
    if (event.key === TERMS_KEY && event.newValue === today() && dialog.open) dialog.close('accept');
  });
}

/**
 * Makes the search buttons and Ctrl/⌘ K open the search. The first use loads the search code. Anything typed while it loads
 * goes into the search field.
 */
function startSearch(): void {
  const open = async () => {
    let typedText = '';
    const collect = (event: KeyboardEvent) => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      typedText += event.key;
    };
    document.addEventListener('keydown', collect);
    try {
      const { toggleSearch } = await import('./search/search-dialog.ts');
      toggleSearch(typedText);
    } catch {
      const title = t('Search could not be loaded. Check your connection and try again.');
      void showToast({ title, kind: 'failure', seconds: 10 });
    } finally {
      document.removeEventListener('keydown', collect);
    }
  };
  for (const button of document.querySelectorAll('[data-search-open]'))
    button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isShortcut || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void open();
  });
}

/** Runs a task after the page has loaded, as soon as the browser is idle or the timeout of `IDLE_OPTIONS` has passed. */
function whenIdle(task: () => void): void {
  // Safari has no `requestIdleCallback`. Only pages with islands add a substitute (`Document.astro`).
  const schedule = () => (window.requestIdleCallback ?? ((run) => setTimeout(run, 200)))(task, IDLE_OPTIONS);
  if (document.readyState === 'complete') schedule();
  else addEventListener('load', schedule, { once: true });
}

function startIdleTasks(): void {
  if (!isAdminArea) startHealthIndicator();
  // The HTML contains the year of the build.
  for (const year of document.querySelectorAll('[data-year]')) {
    year.textContent = String(new Date().getFullYear());
  }
  // Preloads the code for toasts, because the first toast may report that the connection is lost. If preloading fails, the
  // first toast loads the code.
  setTimeout(() => loadToasts().catch(() => undefined), IDLE_DELAY_MS);
  // Over plain HTTP, browsers support service workers only on localhost. Visitors who save data get no service worker.
  const savesData = matchMedia('(prefers-reduced-data: reduce)').matches;
  if (import.meta.env.PROD && 'serviceWorker' in navigator && !savesData) void registerWorker();
}

async function loadWallet() {
  const actions = await import('../islands/wallet/wallet-actions.ts');
  await actions.loadWalletView();
  return actions;
}

/** Milliseconds after which a notice says that the portal could not be reached, if the wallet's code has not loaded. */
const WALLET_LOAD_TIMEOUT_MS = 2_500;

let walletNotice: HTMLElement | null = null;

async function openWallet(): Promise<void> {
  walletNotice?.remove();
  const showUnreachable = () => {
    walletNotice?.remove();
    const dismiss = createButton('button', () => walletNotice?.remove(), t('Dismiss'));
    const content = createElement('div', 'wrap', ...unreachableNotice(() => void openWallet()), dismiss);
    walletNotice = createElement('div', 'wallet-notice', content);
    walletNotice.setAttribute('role', 'alert');
    // The full-screen menu would cover the notice.
    document.querySelector<HTMLDialogElement>('#site-menu[open]')?.close();
    document.querySelector('.header')?.append(walletNotice);
  };
  const timer = setTimeout(showUnreachable, WALLET_LOAD_TIMEOUT_MS);
  const actions = await loadWallet().catch(() => null);
  clearTimeout(timer);
  if (!actions) {
    showUnreachable();
    return;
  }
  walletNotice?.remove();
  await actions.openWallet();
}

/**
 * Makes the wallet buttons open the wallet. Without this script, they are links. The first press loads the wallet's
 * code. If a wallet was connected before, reconnects it once the page is idle.
 */
function startWallet(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-wallet]')) {
    button.setAttribute('role', 'button');
    button.addEventListener('click', (event) => {
      event.preventDefault();
      void openWallet();
    });
    button.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      button.click();
    });
  }
  if (readRememberedWalletName() !== null) whenIdle(async () => (await loadWallet()).reconnect());
}

function startTooltips(): void {
  const types = ['pointerover', 'focusin'] as const;
  const load = (event: Event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-tooltip]')) return;
    for (const type of types) document.removeEventListener(type, load);
    void import('./tooltips/tooltips.ts').then(({ followTooltips }) => followTooltips(event));
  };
  for (const type of types) document.addEventListener(type, load);
}

function startChartImages(): void {
  for (const chart of document.querySelectorAll<HTMLElement>('[data-chart]')) {
    chart.querySelector('button')?.addEventListener('click', async () => {
      const { saveChart } = await import('../components/chart/save-chart.ts');
      await saveChart(chart);
    });
  }
}

/** Closes the More menu on a click outside it, when the focus leaves it, and on Escape, which moves the focus to its button. */
function startMoreMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>('[data-more-menu]');
  if (!menu) return;
  const closeIfOutside = (target: EventTarget | null) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  };
  document.addEventListener('click', ({ target }) => closeIfOutside(target));
  menu.addEventListener('focusout', ({ relatedTarget }) => closeIfOutside(relatedTarget));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
}

/** Opens and closes the full-screen menu. The `<dialog>` element itself traps the focus and closes on Escape. */
function startMobileMenu(): void {
  const menu = document.querySelector<HTMLDialogElement>('#site-menu');
  const opener = document.querySelector<HTMLButtonElement>('[data-menu-open]');
  if (!menu || !opener) return;
  opener.addEventListener('click', () => {
    menu.showModal();
    opener.setAttribute('aria-expanded', 'true');
  });
  menu.querySelector('[data-menu-close]')?.addEventListener('click', () => menu.close());
  menu.addEventListener('close', () => opener.setAttribute('aria-expanded', 'false'));
  // After rotation, a tablet shows the full header, which has no button for the menu.
  matchMedia('(min-width: 1080px)').addEventListener('change', (wide) => {
    if (wide.matches && menu.open) menu.close();
  });
}

/** Shows the floating buttons while the page's first 300 pixels are off screen. */
function startFloatingButtons(): void {
  const scrollMark = document.querySelector('[data-scroll-mark]');
  const buttons = document.querySelector<HTMLElement>('[data-floating]');
  if (!scrollMark || !buttons) return;
  new IntersectionObserver(([entry]) => {
    buttons.hidden = entry?.isIntersecting ?? true;
  }).observe(scrollMark);
  buttons.querySelector('[data-to-top]')?.addEventListener('click', () => {
    const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scrollTo({ top: 0, behavior: prefersReducedMotion ? 'auto' : 'smooth' });
  });
}

/** Closes the admin area's menu when the screen becomes wide enough for the side navigation. */
function startAdminMenu(): void {
  const menu = document.querySelector<HTMLElement>('#admin-menu');
  matchMedia('(min-width: 900px)').addEventListener('change', ({ matches }) => {
    if (matches && menu?.matches(':popover-open')) menu.hidePopover();
  });
}

/** Whether the page has the admin area's frame, which contains no site search, wallet or Duckling. */
const isAdminArea = document.querySelector('#admin-menu') !== null;

startThemeSwitch();
startTooltips();
if (isAdminArea) startAdminMenu();
else {
  startDailyTerms();
  startChartImages();
  startMoreMenu();
  startMobileMenu();
  startFloatingButtons();
  startDuckling();
  startSearch();
  startWallet();
}

whenIdle(startIdleTasks);
