let layersView = null;
const layersPanel = () => null, timingPanel = () => null, dataPanel = () => null, treatmentPanel = () => null, comparePanel = () => null, alertsBox = () => null, liveBadge = () => null;
