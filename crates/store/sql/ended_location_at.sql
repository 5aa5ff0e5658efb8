SELECT location FROM ended_location WHERE location = $1;
