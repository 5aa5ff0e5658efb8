UPDATE job SET template_name = $2 WHERE template_id = $1;
