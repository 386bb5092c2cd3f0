"""Events for the home: an MQTT broker with Home Assistant discovery, and a webhook."""
