const alertsBox = () => null, liveBadge = () => null;
