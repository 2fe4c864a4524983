/** The key under which the day of the last acceptance is kept, as the visitor's own clock names it. */
const KEY = 'disclaimerAcceptedOn';

const today = () => new Date().toDateString();

function acceptedOn(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keepAcceptance(): void {
  try {
    localStorage.setItem(KEY, today());
  } catch {
    // Storage is out of reach: accepted for as long as this page is open.
  }
}

/** Lets the day's terms be closed by accepting them alone. They were opened before this runs, if they are due. */
export function startDailyTerms(): void {
  const dialog = document.querySelector<HTMLDialogElement>('#daily-terms-dialog');
  if (!dialog) return;
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  const settle = () => {
    if (dialog.returnValue === 'accept') keepAcceptance();
    else dialog.showModal();
  };
  dialog.addEventListener('close', settle);
  // Whoever was quicker than this script.
  if (!dialog.open && dialog.returnValue !== '') settle();
  // A page that comes back from the browser's memory may be of another day.
  addEventListener('pageshow', (event) => {
    if (!event.persisted || dialog.open || acceptedOn() === today()) return;
    dialog.returnValue = '';
    dialog.showModal();
  });
  // Accepted in another tab.
  addEventListener('storage', (event) => {
    if (event.key === KEY && event.newValue === today() && dialog.open) dialog.close('accept');
  });
}
