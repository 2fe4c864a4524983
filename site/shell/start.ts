import { startFloatingButtons } from './floating-buttons.ts';
import { startMobileMenu } from './mobile-menu.ts';
import { startMoreMenu } from './more-menu.ts';
import { startThemeSwitch } from './theme-switch.ts';

startThemeSwitch();
startMoreMenu();
startMobileMenu();
startFloatingButtons();
