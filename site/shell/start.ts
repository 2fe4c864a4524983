import { startDailyTerms } from './disclaimer/daily-terms.ts';
import { startDuckling } from './duckling/open-duckling.ts';
import { startFloatingButtons } from './floating-buttons.ts';
import { startIdleParts } from './idle.ts';
import { startMobileMenu } from './mobile-menu.ts';
import { startMoreMenu } from './more-menu.ts';
import { startSearch } from './search/open-search.ts';
import { startThemeSwitch } from './theme-switch.ts';
import { startTooltips } from './tooltips/wake-tooltips.ts';
import { startWallet } from './wallet/open-wallet.ts';
import { whenIdle } from './when-idle.ts';

startDailyTerms();
startThemeSwitch();
startMoreMenu();
startMobileMenu();
startFloatingButtons();
startDuckling();
startSearch();
startTooltips();
startWallet();

whenIdle(startIdleParts);
