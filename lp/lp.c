typedef int planbcast_lp_placeholder;
